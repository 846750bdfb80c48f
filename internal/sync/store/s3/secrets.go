package s3

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
)

// findCredentials finds credentials in the usual places: the environment, the files of the
// AWS tools, the role of the container or machine.
func findCredentials(ctx context.Context) (aws.Credentials, error) {
	if id, key := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"); id != "" && key != "" {
		return aws.Credentials{AccessKeyID: id, SecretAccessKey: key, SessionToken: os.Getenv("AWS_SESSION_TOKEN")}, nil
	}
	if c, ok, err := fromFile(); ok || err != nil {
		return c, err
	}
	if c, ok, err := fromContainer(ctx); ok {
		return c, err
	}
	if os.Getenv("AWS_EC2_METADATA_DISABLED") != "true" {
		if c, err := ec2rolecreds.New().Retrieve(ctx); err == nil {
			return c, nil
		}
	}
	return aws.Credentials{}, errors.New("no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials")
}

// fromFile reads the profile AWS_PROFILE, or default, of the shared credentials file.
func fromFile() (c aws.Credentials, ok bool, err error) {
	name := os.Getenv("AWS_SHARED_CREDENTIALS_FILE")
	if name == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return c, false, nil
		}
		name = filepath.Join(home, ".aws", "credentials")
	}
	profile := firstOf(os.Getenv("AWS_PROFILE"), "default")
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return c, false, nil
	}
	if err != nil {
		return c, false, err
	}
	defer f.Close()
	in := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if section, isSection := strings.CutPrefix(line, "["); isSection {
			in = strings.TrimSpace(strings.TrimSuffix(section, "]")) == profile
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if !in {
			continue
		}
		switch value = strings.TrimSpace(value); strings.TrimSpace(key) {
		case "aws_access_key_id":
			c.AccessKeyID = value
		case "aws_secret_access_key":
			c.SecretAccessKey = value
		case "aws_session_token":
			c.SessionToken = value
		}
	}
	if c.AccessKeyID == "" || c.SecretAccessKey == "" {
		if os.Getenv("AWS_PROFILE") != "" {
			return c, false, fmt.Errorf("%s has no keys for the profile %s", name, profile)
		}
		return c, false, nil
	}
	return c, true, nil
}

// fromContainer asks the container's credential service.
func fromContainer(ctx context.Context) (c aws.Credentials, ok bool, err error) {
	at := os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if rel := os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); rel != "" {
		at = "http://169.254.170.2" + rel
	}
	if at == "" {
		return c, false, nil
	}
	c, err = endpointcreds.New(at, func(o *endpointcreds.Options) {
		o.AuthorizationToken = os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN")
		if file := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
			o.AuthorizationTokenProvider = endpointcreds.TokenProviderFunc(func() (string, error) {
				token, err := os.ReadFile(file)
				return strings.TrimSpace(string(token)), err
			})
		}
	}).Retrieve(ctx)
	return c, true, err
}
